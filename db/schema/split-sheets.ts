import { jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { times, timestamp } from './columns.ts'
import { trackId } from './tracks.ts'

interface Share {
  readonly collaboratorId: string
  readonly percentage: number
}

interface CollectionSplit {
  readonly right: 'mechanical' | 'performance' | 'sync' | 'print' | 'other'
  readonly percentage: number
  readonly territory: string
}

interface SubPublisher extends Share {
  readonly territories: readonly string[]
  readonly collectionSplits: readonly CollectionSplit[]
}

interface Publisher extends Share {
  readonly writerCollaboratorId: string | null
  readonly role: 'original_publisher' | 'administrator' | 'co_publisher'
  readonly territory: string
  readonly subPublishers: readonly SubPublisher[]
  readonly collectionSplits: readonly CollectionSplit[]
}

/** The ownership shares of a track. A sheet is always written as a whole and only when it balances. */
export const splitSheets = pgTable('split_sheets', {
  trackId: trackId().primaryKey(),
  address: text().notNull().default(''),
  intendedUse: text().notNull().default(''),
  master: jsonb().$type<readonly Share[]>().notNull(),
  writers: jsonb().$type<readonly Share[]>().notNull(),
  publishers: jsonb().$type<readonly Publisher[]>().notNull().default([]),
  validatedAt: timestamp().notNull(),
  ...times(),
})
