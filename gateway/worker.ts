import { handleFetch } from './workers/listener.ts'

/** The gateway on Cloudflare Workers. The database must be migrated beforehand: that is not done from here. */
export default { fetch: handleFetch }
