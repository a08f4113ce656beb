const clickId = /^[A-Za-z0-9_-]{1,128}$/
const clickCookie = /(?:^|;\s*)link_click_id=([^;]*)/

/** The click on a share link that the app remembers of its visitor: in a header, or in the cookie of its script. */
export const readLinkClickId = (header: (name: string) => string | undefined) => {
  const named = header('x-link-click-id') ?? clickCookie.exec(header('cookie') ?? '')?.[1]
  return named !== undefined && clickId.test(named) ? named : null
}
