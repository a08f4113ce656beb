// Optimized: see "GET of a share link by its token" in bench/results/sharing.md.
import type { Visit } from '#native-routes/visits.ts'
import { clientNetworkOf } from '#proxy/headers/client-network.ts'
import type { RequestContext } from '../request/context.ts'

/**
 * Reads who visits a shared link. Of several access codes in the query the first one counts. The values are computed
 * when they are needed, because few routes need them. They are methods, because V8
 * gives each object literal with getters its own hidden class, which keeps the whole request alive for a while.
 */
export const readVisit = (request: Pick<RequestContext, 'clientAddress' | 'query'>): Visit => ({
  client: () => clientNetworkOf(request.clientAddress()),
  accessCode: () => new URLSearchParams(request.query).get('accessCode') || undefined,
})
