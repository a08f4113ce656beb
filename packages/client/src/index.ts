export { ApiError } from './api-error.ts'
export { askCatalog, type CatalogEvent } from './ask-catalog.ts'
export type { Client } from './calls.ts'
export { type ClientOptions, createClient } from './create-client.ts'
export { listPages, listRecords } from './lists.ts'
export type { components, operations, paths } from './schema.ts'
export type { GetToken } from './token-source.ts'
export {
  type DocumentUploadOptions,
  type UploadOptions,
  uploadArtwork,
  uploadDocument,
  uploadVersion,
} from './upload.ts'
export { type Lane, type WaitOptions, waitUntilReady } from './wait-until-ready.ts'
