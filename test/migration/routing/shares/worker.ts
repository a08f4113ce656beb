import { hashDecisions } from './decide-shares.ts'

export default { fetch: () => new Response(hashDecisions()) }
