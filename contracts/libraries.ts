import * as z from 'zod'
import { defineContract } from './shared/contract.ts'
import { Count, Id, LongText, pageableRecords, partialUpdate, Str, Timestamp } from './shared/primitives.ts'
import { optionalPaging, query } from './shared/query.ts'

export const AccessGrade = z.enum(['viewer', 'editor', 'admin'])

const LibraryName = Str(120)

export const Library = z.object({
  id: Id,
  name: z.string(),
  description: z.string().nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

/** `shareCount` counts pending and accepted shares. */
export const LibraryListRecord = Library.extend({
  trackCount: Count,
  shareCount: Count,
})

const SharedLibrary = Library.extend({ shareId: Id, accessType: AccessGrade })

export const list = defineContract('libraries.list', {
  query: query(z.object(optionalPaging)),
  responses: { 200: pageableRecords(LibraryListRecord) },
})

export const create = defineContract('libraries.create', {
  body: z.object({ name: LibraryName }),
  responses: { 201: Library },
  errors: ['library_name_conflict', 'quota_exceeded'],
})

export const sharedWithMe = defineContract('libraries.shared-with-me', {
  query: query(
    z.object({ inviteStatus: z.enum(['accepted', 'pending']).default('accepted'), ...optionalPaging }),
  ),
  responses: { 200: pageableRecords(SharedLibrary) },
})

export const detail = defineContract('libraries.detail', {
  responses: { 200: LibraryListRecord },
})

export const update = defineContract('libraries.update', {
  body: partialUpdate({ name: LibraryName, description: LongText(2000).nullable() }),
  responses: { 200: Library },
  errors: ['library_name_conflict'],
})

export const remove = defineContract('libraries.remove', {
  responses: { 204: null },
})

export const presentation = defineContract('libraries.presentation', {
  responses: { 200: LibraryListRecord },
})
