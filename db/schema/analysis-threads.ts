import { sql } from 'drizzle-orm'
import { check, date, index, integer, jsonb, pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core'
import { id, isOneOf, timestamp, timestamps } from './columns.ts'

export const analysisThreads = pgTable(
  'analysis_threads',
  {
    id: id(),
    accountId: text().notNull(),
    title: text().notNull(),
    /** Also the position of the last message. */
    messageCount: integer().notNull(),
    ...timestamps(),
  },
  (table) => [
    index('analysis_threads_last_changed_first').on(table.accountId, table.updatedAt, table.id),
    index('analysis_threads_expired').on(table.updatedAt),
  ],
)

const roles = ['user', 'assistant'] as const

interface StoredSubject {
  readonly type: 'track' | 'pack' | 'library' | 'share'
  readonly id: string
  readonly title: string
}

interface StoredFinding {
  readonly kind: string
  readonly severity: 'info' | 'warning' | 'blocker'
  readonly subject: StoredSubject
  readonly message: string
  readonly action: string
}

export const analysisMessages = pgTable(
  'analysis_messages',
  {
    id: id(),
    threadId: text()
      .notNull()
      .references(() => analysisThreads.id, { onDelete: 'cascade' }),
    position: integer().notNull(),
    role: text({ enum: roles }).notNull(),
    text: text().notNull(),
    findings: jsonb().$type<readonly StoredFinding[]>(),
    citations: jsonb().$type<readonly StoredSubject[]>(),
    createdAt: timestamp().notNull().default(sql`now()`),
  },
  (table) => [
    unique('analysis_messages_position').on(table.threadId, table.position),
    check('analysis_messages_role', isOneOf(table.role, roles)),
    check(
      'analysis_messages_result',
      sql`(${table.role} = 'assistant') = (${table.findings} is not null)
        and (${table.findings} is null) = (${table.citations} is null)`,
    ),
  ],
)

export const analysisUsage = pgTable(
  'analysis_usage',
  {
    accountId: text().notNull(),
    day: date().notNull(),
    questions: integer().notNull(),
    tokens: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.day] }),
    index('analysis_usage_day').on(table.day),
    check('analysis_usage_counts', sql`${table.questions} >= 0 and ${table.tokens} >= 0`),
  ],
)
