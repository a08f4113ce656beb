/** Creates an element with properties and children. `text` is never parsed as HTML. */
export const create = (name, { text, children = [], ...properties } = {}) => {
  const element = Object.assign(document.createElement(name), properties)
  if (text !== undefined) element.textContent = text
  element.append(...children)
  return element
}
