// Replaces the content of a live page every five seconds. Elements that have not changed stay as they are, so that the
// focus, open details and typed text remain. Everything else of the console works without this script.
const intervalMs = 5000
const main = document.querySelector('main[data-live]')
const freshness = document.querySelector('#freshness')
let refreshedAt = new Date()
let timer
let hasEnded = false

const showFreshness = (text) => {
  if (freshness.textContent !== text) freshness.textContent = text
}

const isSameKind = (left, right) =>
  left.nodeType === right.nodeType && left.nodeName === right.nodeName && left.id === right.id

// Whether it is open is the choice of the person.
const isKept = ({ nodeName }, attribute) => nodeName === 'DETAILS' && attribute === 'open'

const updateAttributes = (shown, received) => {
  for (const { name } of [...shown.attributes])
    if (!received.hasAttribute(name) && !isKept(shown, name)) shown.removeAttribute(name)
  for (const { name, value } of received.attributes)
    if (shown.getAttribute(name) !== value && !isKept(shown, name)) shown.setAttribute(name, value)
}

const update = (shown, received) => {
  if (shown.nodeType !== Node.ELEMENT_NODE) {
    if (shown.nodeValue !== received.nodeValue) shown.nodeValue = received.nodeValue
    return
  }
  updateAttributes(shown, received)
  updateChildren(shown, received)
}

const updateChildren = (shown, received) => {
  const present = [...shown.childNodes]
  const wanted = [...received.childNodes]
  wanted.forEach((child, index) => {
    const current = present[index]
    if (!current) shown.append(child)
    else if (isSameKind(current, child)) update(current, child)
    else current.replaceWith(child)
  })
  for (const surplus of present.slice(wanted.length)) surplus.remove()
}

const refresh = async () => {
  const response = await fetch(location.href, {
    headers: { 'x-console-refresh': '1' },
    redirect: 'error',
    signal: AbortSignal.timeout(intervalMs),
  })
  if (response.status === 401) {
    hasEnded = true
    return showFreshness('Your session has ended. Reload the page to sign in again.')
  }
  if (!response.ok) throw new Error(`status ${response.status}`)
  const template = document.createElement('template')
  template.innerHTML = await response.text()
  updateChildren(main, template.content)
  refreshedAt = new Date()
  showFreshness('')
  schedule()
}

const refreshOrSay = () =>
  refresh().catch(() => {
    showFreshness(`Not refreshed since ${refreshedAt.toLocaleTimeString()}.`)
    schedule()
  })

const schedule = () => {
  clearTimeout(timer)
  if (!document.hidden && !hasEnded) timer = setTimeout(refreshOrSay, intervalMs)
}

if (main) {
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer)
    if (!document.hidden && !hasEnded) refreshOrSay()
  })
  schedule()
}
