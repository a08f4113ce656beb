import type { Safety } from './retry.ts'

/** Prefix of the share-link routes, which need no account and ignore access tokens. */
const publicPrefix = '/v1/public/'

// The service does not store its responses to these writes, so it does not recognize a retry.
const writesWithoutKeys = ['/v1/pack-links/{slug}/share-events', '/v1/catalog-analysis']

export const isPublic = (template: string) => template.startsWith(publicPrefix)

/** Returns what makes retrying an operation harmless. */
export const findSafety = (method: string, template: string): Safety => {
  if (method === 'get') return 'read'
  return isPublic(template) || writesWithoutKeys.includes(template) ? 'none' : 'key'
}

/**
 * Throws unless each parameter of a path template has a value that stays within its segment. An empty value or `..`
 * would address a different resource.
 */
export const requirePathParameters = (template: string, values: Readonly<Record<string, unknown>> = {}) => {
  for (const [, name = ''] of template.matchAll(/\{(\w+)\}/g)) {
    const value = values[name]
    if (typeof value !== 'string' || value === '' || value === '.' || value === '..')
      throw new TypeError(`the path parameter ${name} of ${template} must be a non-empty string`)
  }
}
