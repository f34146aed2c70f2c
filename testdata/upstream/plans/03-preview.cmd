$ pulumi preview --non-interactive --save-plan /project/plan.json
