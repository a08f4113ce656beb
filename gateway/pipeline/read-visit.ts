import type { Visit } from '#native-routes/visits.ts'
import { clientNetworkOf } from '#proxy/headers/client-origin.ts'
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

const clickId = /^[A-Za-z0-9_-]{1,128}$/
const clickCookie = /(?:^|;\s*)link_click_id=([^;]*)/

/** Reads the id of the visitor's click on a share link from the header, or else from the cookie that the app sets. */
export const readLinkClickId = (request: Pick<RequestContext, 'header'>) => {
  const id = request.header('x-link-click-id') ?? clickCookie.exec(request.header('cookie') ?? '')?.[1]
  return id !== undefined && clickId.test(id) ? id : null
}
