import { handleFetch } from '#gateway/workers/listener.ts'

/** The gateway on Cloudflare Workers. A Worker runs no migrations: migrate the database before deploying it. */
export default { fetch: handleFetch }
