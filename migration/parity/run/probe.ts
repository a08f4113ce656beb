import { isResponse } from '../../diff/recorded-response.ts'
import { PreparationError } from './scenario.ts'
import { createScenarioContext, type Deployments } from './scenario-context.ts'
import { type ComparedSide, sendTimed } from './side.ts'

/** Throws unless both sides respond. Otherwise two unreachable sides would show no difference. */
export const requireReachable = async (...sides: readonly ComparedSide[]) => {
  for (const side of sides) {
    if (!isResponse(await sendTimed(side, 'libraries.list', {})))
      throw new Error(`the ${side.name} side is not reachable at ${side.origin}`)
  }
}

type ProbedDeployments = Omit<Deployments, 'hasSharedState'>

const readsLibraryOfNative = (deployments: ProbedDeployments) => {
  const { native, core, session } = deployments
  return session.journal.removeAfter(async () => {
    const { context } = createScenarioContext({ ...deployments, hasSharedState: false }, native)
    const account = await context.account({ emailVerified: 'either' })
    const name = context.unique('Shared by both')
    const { id } = await account.call('libraries.create', { body: { name } })
    const response = await session.send(core, 'libraries.detail', { as: account, params: { libraryId: id } })
    return isResponse(response) && response.status === 200
  })
}

/**
 * Checks whether the core returns a library that native created, because only then can each side read the other's data.
 * If the account cannot create a library, for example because of its limit, returns a warning, so that all other
 * comparisons still run.
 */
export const detectSharedState = async (deployments: ProbedDeployments) => {
  try {
    return { hasSharedState: await readsLibraryOfNative(deployments), warnings: [] }
  } catch (error) {
    if (!(error instanceof PreparationError)) throw error
    const warning = `it is not known whether both sides use the same database, so neither side reads what the other created: ${error.message}`
    return { hasSharedState: false, warnings: [warning] }
  }
}
