import { readFile } from 'node:fs/promises'
import { SettingsError } from './read-environment.ts'

/** Replaces `BILLING_PLANS` with the contents of the file that it names, unless it starts like JSON. */
export const readPlansFile = async (environment: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> => {
  const plans = environment.BILLING_PLANS
  if (!plans || /^\s*[[{]/.test(plans)) return environment
  try {
    return { ...environment, BILLING_PLANS: await readFile(plans, 'utf8') }
  } catch {
    throw new SettingsError(['BILLING_PLANS must be JSON or the path of a readable file'])
  }
}
