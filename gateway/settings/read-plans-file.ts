import { readFile } from 'node:fs/promises'
import { givenPaths, type Variables } from './read-environment.ts'

/**
 * Replaces `BILLING_PLANS` with the contents of the file that it names, unless it starts like JSON. A path that is not
 * readable is left: the validation of the settings reports it with all other errors. Its errors show the path only.
 */
export const readPlansFile = async <E extends Variables>(environment: E): Promise<E & Variables> => {
  const plans = environment.BILLING_PLANS
  if (!plans || /^\s*[[{]/.test(plans)) return environment
  try {
    const contents = await readFile(plans, 'utf8')
    return { ...environment, BILLING_PLANS: contents, [givenPaths]: { BILLING_PLANS: plans } }
  } catch {
    return environment
  }
}
