import { hashDecisions } from './decide-splits.ts'

export default { fetch: () => new Response(hashDecisions()) }
