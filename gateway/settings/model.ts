import * as z from 'zod'
import type { Ports } from '#native-routes/ports.ts'
import { asUrl } from './describe-value.ts'
import { apiKey, baseUrl, integerBetween, type Rule, wholeNumber } from './setting-types.ts'

const modelBaseUrl = asUrl(
  z.union([z.literal('none').transform(() => null), baseUrl], {
    error: 'must be none, or an http or https URL without a user, password, query or fragment',
  }),
)

export const modelSettings = {
  AI_BASE_URL: modelBaseUrl.optional(),
  AI_API_KEY: apiKey.optional(),
  AI_MODEL: z.string().min(1).optional(),
  AI_TIMEOUT_S: wholeNumber(60).pipe(integerBetween(1, 600)),
  AI_MAX_TOOL_CALLS: wholeNumber(8).pipe(integerBetween(0, 100)),
  AI_MAX_TOKENS: wholeNumber(50_000).pipe(integerBetween(1, 10_000_000)),
  AI_REQUESTS_PER_DAY: wholeNumber(200).pipe(integerBetween(1, 1_000_000)),
  AI_TOKENS_PER_DAY: wholeNumber(500_000).pipe(integerBetween(1, 1_000_000_000)),
  AI_THREAD_RETENTION_DAYS: wholeNumber(90).pipe(integerBetween(1, 36_500)),
}

type ModelVariables = z.infer<z.ZodObject<typeof modelSettings>>

export const modelRules: readonly Rule<ModelVariables>[] = [
  {
    holds: ({ AI_BASE_URL, AI_MODEL }) => AI_BASE_URL == null || AI_MODEL !== undefined,
    name: 'AI_MODEL',
    error: 'is missing: it is required if AI_BASE_URL is set',
    dependsOn: ['AI_BASE_URL', 'AI_MODEL'],
  },
  {
    holds: ({ AI_BASE_URL, AI_API_KEY, AI_MODEL }) =>
      AI_BASE_URL !== undefined || (AI_API_KEY ?? AI_MODEL) === undefined,
    name: 'AI_BASE_URL',
    error: 'is missing: it is required if AI_MODEL or AI_API_KEY is set; use none to turn the model off',
    dependsOn: ['AI_BASE_URL'],
  },
]

/** The key is read on each use. */
export const readModelOptions = (settings: ModelVariables) => {
  const { AI_BASE_URL, AI_MODEL } = settings
  if (AI_BASE_URL == null || AI_MODEL === undefined) return null
  return {
    baseUrl: AI_BASE_URL,
    get apiKey() {
      return settings.AI_API_KEY
    },
    model: AI_MODEL,
  }
}

export const readAnalysisLimits = (
  settings: Omit<ModelVariables, 'AI_BASE_URL' | 'AI_API_KEY' | 'AI_MODEL'>,
): Ports['analysisLimits'] => ({
  questionsPerDay: settings.AI_REQUESTS_PER_DAY,
  tokensPerDay: settings.AI_TOKENS_PER_DAY,
  toolCalls: settings.AI_MAX_TOOL_CALLS,
  tokens: settings.AI_MAX_TOKENS,
  timeoutMs: settings.AI_TIMEOUT_S * 1000,
  retentionDays: settings.AI_THREAD_RETENTION_DAYS,
})
