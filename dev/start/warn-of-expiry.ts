import { acceptedDifferences } from '#migration/parity/accepted-differences.ts'
import { warnOfExpiry } from '#migration/parity/diff/accepted.ts'

// A warning, not a failure: a date alone must not break the checks of an unchanged tree.
for (const warning of warnOfExpiry(acceptedDifferences, new Date().toISOString().slice(0, 10)))
  process.stderr.write(`warning: ${warning}\n`)
