import { jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { timestamp, timestamps } from './columns.ts'
import { trackId } from './tracks.ts'

interface StoredShare {
  readonly collaboratorId: string
  readonly percentage: number
}

interface StoredCollectionSplit {
  readonly right: 'mechanical' | 'performance' | 'sync' | 'print' | 'other'
  readonly percentage: number
  readonly territory: string
}

interface StoredSubPublisher extends StoredShare {
  readonly territories: readonly string[]
  readonly collectionSplits: readonly StoredCollectionSplit[]
}

interface StoredPublisher extends StoredShare {
  readonly writerCollaboratorId: string | null
  readonly role: 'original_publisher' | 'administrator' | 'co_publisher'
  readonly territory: string
  readonly subPublishers: readonly StoredSubPublisher[]
  readonly collectionSplits: readonly StoredCollectionSplit[]
}

/** Who owns which shares of a track. A sheet is always written as a whole, and only if it balances. */
export const splitSheets = pgTable('split_sheets', {
  trackId: trackId().primaryKey(),
  address: text().notNull().default(''),
  intendedUse: text().notNull().default(''),
  master: jsonb().$type<readonly StoredShare[]>().notNull(),
  writers: jsonb().$type<readonly StoredShare[]>().notNull(),
  publishers: jsonb().$type<readonly StoredPublisher[]>().notNull().default([]),
  validatedAt: timestamp().notNull(),
  ...timestamps(),
})
