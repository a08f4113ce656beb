// The native routes, in a process whose date is the last day on which all accepted differences are still accepted.
import { acceptedDifferences } from '#migration/parity/accepted-differences.ts'

export { handlers } from '#native-routes/index.ts'

const [expiry] = acceptedDifferences.map(({ expires }) => expires).sort()
const lastDay = Date.parse(expiry)
Date.now = () => lastDay
