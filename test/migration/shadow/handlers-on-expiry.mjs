// The native routes, in a process with its date set to the last day that every accepted difference is still accepted.
import { acceptedDifferences } from '#migration/parity/accepted-differences.ts'

export { handlers } from '#native-routes/index.ts'

const [expiry] = acceptedDifferences.map(({ expires }) => expires).sort()
const lastDay = Date.parse(expiry)
Date.now = () => lastDay
