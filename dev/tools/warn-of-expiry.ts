import { warnOfExpiry } from '#migration/diff/accepted.ts'
import { acceptedDifferences } from '#migration/parity/accepted-differences.ts'
import { formatDay } from '#shared/iso-clock.ts'

// Only warns, because a date alone must not make the checks of an unchanged tree fail.
for (const warning of warnOfExpiry(acceptedDifferences, formatDay(Date.now())))
  process.stderr.write(`warning: ${warning}\n`)
