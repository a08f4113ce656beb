export type Audience = 'public' | 'operators'

/** The code and its many texts load on first use, because only requests for the description need them. */
export const loadDescription = async (audience: Audience): Promise<string> => {
  const { createOpenApiDocument } = await import('./create-document.ts')
  return JSON.stringify(createOpenApiDocument(audience))
}
