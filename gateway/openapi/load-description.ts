import type { Audience } from './audience.ts'

/**
 * Creates and serializes the API description. What creates it is loaded by the first request for it: it has many texts that
 * no other request needs.
 */
export const loadDescription = async (audience: Audience): Promise<string> => {
  const { createOpenApiDocument } = await import('./create-document.ts')
  return JSON.stringify(createOpenApiDocument(audience))
}
