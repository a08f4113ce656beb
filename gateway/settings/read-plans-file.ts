import { readFile } from 'node:fs/promises'
import { SettingsError } from './read-environment.ts'

/** The environment with the plans themselves in `BILLING_PLANS`: a value that does not start as JSON names a file. */
export const readPlansFile = async (environment: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> => {
  const plans = environment.BILLING_PLANS
  if (!plans || /^\s*[[{]/.test(plans)) return environment
  try {
    return { ...environment, BILLING_PLANS: await readFile(plans, 'utf8') }
  } catch {
    throw new SettingsError(['BILLING_PLANS names a file that cannot be read'])
  }
}
