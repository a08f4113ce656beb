import { warnOfExpiry } from '#migration/diff/accepted.ts'
import { acceptedDifferences } from '#migration/parity/accepted-differences.ts'

// Only warns, because a date alone must not make the checks of an unchanged tree fail.
for (const warning of warnOfExpiry(acceptedDifferences, new Date().toISOString().slice(0, 10)))
  process.stderr.write(`warning: ${warning}\n`)
