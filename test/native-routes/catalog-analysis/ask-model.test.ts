import { expect, it, onTestFinished } from 'vitest'
import { createAnalysisSlots } from '#gateway/adapters/analysis-slots-memory.ts'
import { askModel } from '#native-routes/catalog-analysis/ask-model.ts'
import type { ModelPort } from '#native-routes/catalog-analysis/ports.ts'
import { createTestDatabase } from '#test/support/database.ts'

it('askModel runs no tool once its signal is aborted', async () => {
  const database = await createTestDatabase()
  onTestFinished(database.close)
  const scope = { accountId: 'acct', db: database.db, now: new Date() }
  const controller = new AbortController()
  const model: ModelPort = {
    async complete() {
      return (async function* () {
        yield { kind: 'calls' as const, calls: [{ id: 'call', name: 'duplicates', input: '{}' }] }
        controller.abort()
      })()
    },
  }
  const usage = { inputTokens: 0, outputTokens: 0, toolCalls: 0 }
  const budget = { tokens: 10_000, toolCalls: 8 }
  const { signal } = controller
  const slots = createAnalysisSlots()
  const asked = askModel({ question: 'Copies?', history: [], scope, slots, budget, usage, signal }, model)
  await expect(asked.next()).rejects.toMatchObject({ reason: 'timeout' })
  expect(usage.toolCalls).toBe(0)
})
