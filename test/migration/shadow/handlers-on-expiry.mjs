// The native routes, with the clock set to the last day on which all accepted differences are valid.
import { acceptedDifferences } from '#migration/parity/accepted-differences.ts'

export { handlers } from '#native-routes/index.ts'

const [expiry] = acceptedDifferences.map(({ expires }) => expires).sort()
const lastDay = Date.parse(expiry)
Date.now = () => lastDay
