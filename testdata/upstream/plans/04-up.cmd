$ pulumi up --yes --skip-preview --non-interactive --plan /project/plan.json
