import type { Page } from 'playwright-core'

// This function runs in the page.
const findFaults = (): readonly string[] => {
  const nameOf = (element: Element) => {
    const text = (element.textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, 40)
    return `${element.tagName.toLowerCase()}${element.className && `.${element.getAttribute('class')}`} "${text}"`
  }
  // `checkVisibility` counts content for screen readers as visible, because it takes up one pixel.
  const isShown = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true }) &&
    !element.closest('.hidden, .skip, textarea') &&
    getComputedStyle(element.closest('thead') ?? element).clipPath === 'none'
  const width = innerWidth
  const root = document.scrollingElement ?? document.documentElement
  const faults = root.scrollWidth > width ? [`the page scrolls sideways: ${root.scrollWidth} px`] : []

  for (const element of document.querySelectorAll('body *')) {
    if (!(element instanceof HTMLElement) || !isShown(element)) continue
    const { overflowX } = getComputedStyle(element)
    const isTooWide = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0
    if (isTooWide && ['auto', 'scroll', 'hidden'].includes(overflowX))
      faults.push(`content is clipped or scrolls sideways: ${nameOf(element)}`)
    if (isTooWide && element.matches('th, td, button, .button, .badge, li, dd, label'))
      faults.push(`content overflows its box: ${nameOf(element)}`)
  }

  // A word is broken if its letters are on two lines. Hashes and paths in code have to be broken.
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const { parentElement } = node
    if (!parentElement || !isShown(parentElement) || parentElement.closest('code, pre, .code, svg')) continue
    for (const { 0: word, index } of (node.nodeValue ?? '').matchAll(/\p{L}{2,}/gu)) {
      range.setStart(node, index)
      range.setEnd(node, index + word.length)
      const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
      if (tops.size > 1) faults.push(`broken word: ${word} in ${nameOf(parentElement)}`)
    }
  }
  return [...new Set(faults)]
}

export const listLayoutFaults = (page: Page): Promise<readonly string[]> => page.evaluate(findFaults)
