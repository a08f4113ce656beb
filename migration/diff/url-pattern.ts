// The base for URLs that have no host.
const placeholderOrigin = 'http://nowhere.invalid'

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/
const numeric = /^(\d+(\.\d+){3}|\[.*\])$/

const hostClass = (hostname: string) => {
  if (loopback.test(hostname)) return 'loopback'
  return numeric.test(hostname) ? 'number' : 'name'
}

// A short segment of letters and hyphens counts as fixed. Any other is a value, which becomes `*` and keeps only its
// file extension.
const segmentPatternOf = (segment: string) => {
  if (/^[A-Za-z][A-Za-z-]*$/.test(segment) && segment.length < 32) return segment
  return segment && `*${/\.[a-z0-9]{1,5}$/i.exec(segment)?.[0].toLowerCase() ?? ''}`
}

/**
 * Returns a URL without its values. Its scheme, class of host, fixed path segments and parameter names remain. `null`
 * if the text is not a URL.
 */
export const urlPatternOf = (text: string) => {
  if (!URL.canParse(text, placeholderOrigin)) return null
  const url = new URL(text, placeholderOrigin)
  const origin = url.origin === placeholderOrigin ? '' : `${url.protocol}//${hostClass(url.hostname)}`
  const path = url.pathname.split('/').map(segmentPatternOf).join('/')
  const names = [...new Set(url.searchParams.keys())].sort()
  return `${origin}${path}${names.length > 0 ? `?${names.join('&')}` : ''}`
}
