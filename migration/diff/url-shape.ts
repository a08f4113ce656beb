// Stands for the host of an address that names none.
const nowhere = 'http://nowhere.invalid'

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/
const numeric = /^(\d+(\.\d+){3}|\[.*\])$/

const hostClass = (hostname: string) => {
  if (loopback.test(hostname)) return 'loopback'
  return numeric.test(hostname) ? 'number' : 'name'
}

// A word is part of the address; anything else is a value that stands in its place, but for its ending.
const segmentShape = (segment: string) => {
  if (/^[A-Za-z][A-Za-z-]*$/.test(segment) && segment.length < 32) return segment
  return segment && `*${/\.[a-z0-9]{1,5}$/i.exec(segment)?.[0].toLowerCase() ?? ''}`
}

/**
 * An address without its values: scheme, class of host, the words of its path and the names in its query.
 * `null` is no address.
 */
export const urlShape = (address: string) => {
  if (!URL.canParse(address, nowhere)) return null
  const url = new URL(address, nowhere)
  const origin = url.origin === nowhere ? '' : `${url.protocol}//${hostClass(url.hostname)}`
  const path = url.pathname.split('/').map(segmentShape).join('/')
  const names = [...new Set(url.searchParams.keys())].sort()
  return `${origin}${path}${names.length > 0 ? `?${names.join('&')}` : ''}`
}
