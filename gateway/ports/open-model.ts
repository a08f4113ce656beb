import type { ModelPort } from '#native-routes/catalog-analysis/ports.ts'
import { readModelOptions } from '../settings/model-options.ts'
import type { Settings } from '../settings/settings.ts'

/** The model that is configured, whose client is loaded only then; null for none. */
export const openModel = async (settings: Settings): Promise<ModelPort | null> => {
  const options = readModelOptions(settings)
  if (options === null) return null
  const { createChatModel } = await import('../adapters/model-chat-completions/model-chat-completions.ts')
  return createChatModel(options)
}
