// Replaces the content of a live page every second. Elements that have not changed stay in place, which keeps the
// focus, open details and typed text. Also searches while a person types, and handles a few keys. Everything else in
// the console works without this script.
const intervalMs = 1000
const timeoutMs = 5000
const searchDelayMs = 150
const main = document.querySelector('main[data-live]')
const freshness = document.querySelector('#freshness')
let refreshedAt = new Date()
let timer
let hasEnded = false

const showFreshness = (text) => {
  if (freshness.textContent !== text) freshness.textContent = text
}

// The link opens another tab, so typed text stays here. Once the person has signed in, this page continues.
const showEnd = () => {
  const link = document.createElement('a')
  link.href = `/console/sign-in?${new URLSearchParams({ next: location.pathname + location.search })}`
  link.target = '_blank'
  link.textContent = 'Sign in'
  freshness.replaceChildren('Your session has ended. What you typed is still here. ', link)
}

const isSameKind = (left, right) =>
  left.nodeType === right.nodeType && left.nodeName === right.nodeName && left.id === right.id

// Only the person opens or closes details. A refresh never does.
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

const findFrom = (first, id) => {
  for (let node = first; node; node = node.nextSibling) if (node.id === id) return node
  return null
}

// An element with an id is the same element wherever it moves, so it keeps what was typed into it.
const matchChild = (current, child) => {
  if (child.id) return findFrom(current, child.id)
  return current && isSameKind(current, child) ? current : null
}

const removeUntil = (first, end) => {
  for (let node = first; node !== end; ) {
    const next = node.nextSibling
    node.remove()
    node = next
  }
}

const updateChildren = (shown, received) => {
  let current = shown.firstChild
  for (const child of [...received.childNodes]) {
    const match = matchChild(current, child)
    if (!match) {
      shown.insertBefore(child, current)
      // An element with an id stays, because a later child may match it.
      if (current && !current.id && !child.id) {
        const replaced = current
        current = current.nextSibling
        replaced.remove()
      }
      continue
    }
    removeUntil(current, match)
    current = match.nextSibling
    update(match, child)
  }
  removeUntil(current, null)
}

const readFocusedRoute = () => document.activeElement?.closest('[data-route]')?.getAttribute('href')

// The list's order may have changed, but Enter must still open the route that had the focus.
const keepFocus = (change) => {
  const route = readFocusedRoute()
  change()
  if (!route || readFocusedRoute() === route) return
  document.activeElement.blur()
  document.querySelector(`[data-route][href="${CSS.escape(route)}"]`)?.focus({ preventScroll: true })
}

const refresh = async () => {
  const response = await fetch(location.href, {
    headers: { 'x-console-refresh': '1' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  hasEnded = response.status === 401
  if (hasEnded) return showEnd()
  if (!response.ok) throw new Error(`status ${response.status}`)
  const template = document.createElement('template')
  template.innerHTML = await response.text()
  keepFocus(() => updateChildren(main, template.content))
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

const search = document.querySelector('#search')

const showFound = async () => {
  const asked = new URLSearchParams([...new FormData(search)].filter(([, value]) => value !== ''))
  history.replaceState(null, '', asked.size > 0 ? `${location.pathname}?${asked}` : location.pathname)
  clearTimeout(timer)
  await refreshOrSay()
}

let searching
const searchSoon = () => {
  clearTimeout(searching)
  searching = setTimeout(showFound, searchDelayMs)
}

const listRoutes = () =>
  [...document.querySelectorAll('[data-route]')].filter((link) => link.checkVisibility())

const moveFocus = (event, step) => {
  const routes = listRoutes()
  const next = routes[routes.indexOf(document.activeElement) + step]
  if (next) next.focus()
  else if (step < 0) search?.elements.text.focus()
  event.preventDefault()
}

const openFirst = async (event) => {
  event.preventDefault()
  clearTimeout(searching)
  await showFound()
  listRoutes()[0]?.click()
}

const isTyping = ({ target }) => target instanceof Element && target.matches('input, select, textarea')
const isSearching = ({ target }) => target instanceof Element && target.matches('#search input')
const isInList = ({ target }) => target instanceof Element && target.matches('[data-route]')

const pressKey = (event) => {
  const { key } = event
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
  if (isSearching(event) && key === 'Enter' && event.target.value !== '') return openFirst(event)
  if (isSearching(event) || isInList(event)) {
    if (key === 'ArrowDown') return moveFocus(event, 1)
    if (key === 'ArrowUp') return moveFocus(event, -1)
  }
  if (isTyping(event)) return
  if (key === '/' && search) {
    event.preventDefault()
    return search.elements.text.focus()
  }
  document.querySelector(`a[data-key="${CSS.escape(key)}"]`)?.click()
}

document.addEventListener('keydown', pressKey)
search?.addEventListener('input', searchSoon)

if (main) {
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer)
    if (!document.hidden) refreshOrSay()
  })
  addEventListener('focus', () => {
    if (hasEnded) refreshOrSay()
  })
  schedule()
}
