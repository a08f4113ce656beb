/** Spellings of a path that some servers treat as the path itself. */
export const listOtherSpellings = (path: string): readonly string[] => [
  `${path}/`,
  `${path}//`,
  `/${path}`,
  `/.${path}`,
  `/x/..${path}`,
  `${path}/.`,
  `${path};x`,
  `${path}%20`,
  `${path}%00`,
  `${path}%2F`,
  `${path}%3Fx`,
  path.toUpperCase(),
  path.replace(/[a-z]/, (letter) => letter.toUpperCase()),
  `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`,
  `/%${path.charCodeAt(1).toString(16).toUpperCase()}${path.slice(2)}`,
  `${path.slice(0, -1)}%${path.charCodeAt(path.length - 1).toString(16)}`,
  path.replace('/', '/%2F'),
  path.replace('/', '%2F'),
  path.replace('/', '\\'),
]

export const publicPages = ['/healthz', '/readyz', '/openapi.json', '/docs']

export const adminPages = [...publicPages, '/metrics', '/build']

export const unknownPaths = ['/metric', '/metrics.json', '/admin', '/consoles', '/debug']
