import { desc, eq } from 'drizzle-orm'
import type { EveryKeyOf, Queryable, Reader } from '../../client/connection.ts'
import { analysisMessages } from '../../schema/analysis-threads.ts'

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
