import { and, desc, eq, gt, inArray, lte, sql } from 'drizzle-orm'
import type { EveryKeyOf, Queryable, Reader } from '../../client/connection.ts'
import { firstRow } from '../../client/drizzle.ts'
import { analysisMessages, analysisThreads } from '../../schema/analysis-threads.ts'
import type { PageRange } from '../page-range.ts'

export interface ThreadScope {
  readonly accountId: string
  readonly endedAt: string
}

const isInScope = ({ accountId, endedAt }: ThreadScope) =>
  and(eq(analysisThreads.accountId, accountId), gt(analysisThreads.updatedAt, endedAt))

const isThreadOf = (threadId: string, scope: ThreadScope) =>
  and(eq(analysisThreads.id, threadId), isInScope(scope))

export const findAnalysisThreadOf = async (db: Reader, threadId: string, scope: ThreadScope) =>
  firstRow(
    await db
      .select({ id: analysisThreads.id, title: analysisThreads.title })
      .from(analysisThreads)
      .where(isThreadOf(threadId, scope)),
  )

export const listAnalysisThreadsOf = (db: Reader, scope: ThreadScope, { after, limit }: PageRange) => {
  const { id, title, messageCount, createdAt, updatedAt } = analysisThreads
  return db
    .select({ threadId: id, title, messageCount, createdAt, updatedAt })
    .from(analysisThreads)
    .where(
      and(
        isInScope(scope),
        after ? sql`(${updatedAt}, ${id}) < (${after.at}::timestamptz, ${after.id})` : undefined,
      ),
    )
    .orderBy(desc(updatedAt), desc(id))
    .limit(limit)
}

type NewThread = Required<typeof analysisThreads.$inferInsert>

export const insertAnalysisThread = async <T extends NewThread>(
  tx: Queryable,
  thread: EveryKeyOf<NewThread, T>,
) => {
  await tx.insert(analysisThreads).values(thread)
}

/** Returns the new total; null if the account has no such thread. */
export const updateMessageCountOfThread = async (
  tx: Queryable,
  threadId: string,
  scope: ThreadScope,
  { added, updatedAt }: { readonly added: number; readonly updatedAt: string },
) => {
  const [thread] = await tx
    .update(analysisThreads)
    .set({ messageCount: sql`${analysisThreads.messageCount} + ${added}`, updatedAt })
    .where(isThreadOf(threadId, scope))
    .returning({ messageCount: analysisThreads.messageCount })
  return thread?.messageCount ?? null
}

export const deleteAnalysisThreadOf = async (tx: Queryable, threadId: string, scope: ThreadScope) =>
  firstRow(
    await tx.delete(analysisThreads).where(isThreadOf(threadId, scope)).returning({ id: analysisThreads.id }),
  )

export const deleteEndedAnalysisThreads = async (tx: Queryable, endedAt: string, limit: number) => {
  const ended = tx
    .select({ id: analysisThreads.id })
    .from(analysisThreads)
    .where(lte(analysisThreads.updatedAt, endedAt))
    .limit(limit)
    .for('update', { skipLocked: true })
  const deleted = await tx
    .delete(analysisThreads)
    .where(inArray(analysisThreads.id, ended))
    .returning({ id: analysisThreads.id })
  return deleted.length
}

/** The caller must have checked that the account may read the thread. */
export const listMessagesOfThread = async (db: Reader, threadId: string, limit: number) => {
  const { id, role, text, findings, citations, createdAt } = analysisMessages
  const messages = await db
    .select({ messageId: id, role, text, findings, citations, createdAt })
    .from(analysisMessages)
    .where(eq(analysisMessages.threadId, threadId))
    .orderBy(desc(analysisMessages.position))
    .limit(limit)
  return messages.reverse()
}

type NewMessage = Required<typeof analysisMessages.$inferInsert>

export const insertAnalysisMessages = async <M extends NewMessage>(
  tx: Queryable,
  messages: EveryKeyOf<NewMessage, M>[],
) => {
  await tx.insert(analysisMessages).values(messages)
}
