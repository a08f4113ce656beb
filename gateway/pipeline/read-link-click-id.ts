import type { RequestContext } from '../request/context.ts'

const clickId = /^[A-Za-z0-9_-]{1,128}$/
const clickCookie = /(?:^|;\s*)link_click_id=([^;]*)/

/** Reads the id of the visitor's click on a share link from the header, or else from the cookie that the app sets. */
export const readLinkClickId = (request: Pick<RequestContext, 'header'>) => {
  const id = request.header('x-link-click-id') ?? clickCookie.exec(request.header('cookie') ?? '')?.[1]
  return id !== undefined && clickId.test(id) ? id : null
}
