import { createFetchHandler } from '#gateway/workers/listener.ts'
import { readOwnBuild } from '#migration/evidence-keys/own-build.ts'
import { createWorkersControl } from '#migration/workers-control.ts'

/** The gateway on Cloudflare Workers. A Worker runs no migrations: migrate the database before you deploy it. */
export default {
  fetch: createFetchHandler({ readBuild: readOwnBuild, createControl: createWorkersControl }),
}
