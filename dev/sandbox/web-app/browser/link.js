// The gateway's public routes for the link in this page's address.
export const root = document.getElementById('share')
const { api } = root.dataset
const [, , kind, token = ''] = location.pathname.split('/')
export const isPack = kind === 'packs'
const base = `${api}/v1/public/${isPack ? 'pack-links' : 'track-links'}/${token}`

const createVisitId = (storage, name) => {
  const known = storage.getItem(name)
  if (known !== null) return known
  const id = crypto.randomUUID()
  storage.setItem(name, id)
  return id
}
const visit = {
  visitorId: createVisitId(localStorage, 'visitor'),
  sessionId: createVisitId(sessionStorage, 'session'),
  source: new URLSearchParams(location.search).get('source') ?? 'web',
}

let accessCode = ''
export const hasAccessCode = () => accessCode !== ''
export const setAccessCode = (code) => {
  accessCode = code
}

/** Reads a public route of the link. `retryAfter` is in seconds; 0 if the response has none. */
export const read = async (path) => {
  const query = new URLSearchParams({ ...visit, ...(accessCode && { accessCode }) })
  const response = await fetch(`${base}${path}?${query}`)
  const body = await response.json()
  return { status: response.status, body, retryAfter: Number(response.headers.get('retry-after')) }
}

/** Reports a visitor's event, even from a page that is closing. */
export const report = (event, track) => {
  const query = accessCode ? `?${new URLSearchParams({ accessCode })}` : ''
  const body = JSON.stringify({ ...visit, ...event, ...(isPack && track && { trackId: track.id }) })
  const headers = { 'content-type': 'application/json' }
  fetch(`${base}/share-events${query}`, { method: 'POST', body, headers, keepalive: true }).catch(() => {})
}

export const formatWait = (seconds) => {
  if (!(seconds > 0)) return 'Try again later.'
  return seconds < 60
    ? `Try again in ${seconds} seconds.`
    : `Try again in ${Math.ceil(seconds / 60)} minutes.`
}
