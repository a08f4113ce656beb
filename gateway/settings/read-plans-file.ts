import { readFile } from 'node:fs/promises'

/**
 * Replaces `BILLING_PLANS` with the contents of the file that it names, unless it starts like JSON. A path that is not
 * readable is left: the validation of the settings reports it with all other errors.
 */
export const readPlansFile = async (environment: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> => {
  const plans = environment.BILLING_PLANS
  if (!plans || /^\s*[[{]/.test(plans)) return environment
  try {
    return { ...environment, BILLING_PLANS: await readFile(plans, 'utf8') }
  } catch {
    return environment
  }
}
