package terminaltest

// Resize gives the terminal another size. Lines are wrapped anew or cut; rows that no longer fit go into the
// scrollback, and come back from it when there is room.
func (t *Terminal) Resize(cols, rows int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.opts.Cols, t.opts.Rows = cols, rows
	t.full = false
	for len(t.rows) > t.y+1 && len(t.rows[len(t.rows)-1].cells) == 0 {
		t.rows = t.rows[:len(t.rows)-1]
	}
	if t.opts.Crop {
		for i := range t.rows {
			t.rows[i].cells = t.rows[i].cells[:min(len(t.rows[i].cells), cols)]
		}
		t.x = min(t.x, cols-1)
	} else {
		t.wrap()
	}
	t.top = max(0, len(t.rows)-rows)
}

// wrap breaks all lines anew. The cursor stays at its character.
func (t *Terminal) wrap() {
	var out []row
	y, x := 0, 0
	for i := 0; i < len(t.rows); i++ {
		var whole []cell
		at := -1
		for ; ; i++ {
			if i == t.y {
				at = len(whole) + t.x
			}
			whole = append(whole, t.rows[i].cells...)
			if !t.rows[i].wrapped || i+1 == len(t.rows) {
				break
			}
		}
		first := len(out)
		for len(whole) > t.opts.Cols {
			out = append(out, row{cells: whole[:t.opts.Cols:t.opts.Cols], wrapped: true})
			whole = whole[t.opts.Cols:]
		}
		out = append(out, row{cells: whole[:len(whole):len(whole)]})
		if at >= 0 {
			y, x = min(first+at/t.opts.Cols, len(out)-1), at%t.opts.Cols
		}
	}
	t.rows, t.y, t.x = out, y, x
}
