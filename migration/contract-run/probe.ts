import { isResponse } from '../diff/recorded-response.ts'
import { createRequest } from './request.ts'
import { type AccountSource, createScenarioContext } from './scenario-context.ts'
import { observe, type Side } from './side.ts'

const anyRequest = { method: 'GET', path: '/v1/libraries', headers: {} }

/** Throws unless both sides respond: two unreachable sides would show no difference. */
export const requireReachable = async (...sides: readonly Side[]) => {
  for (const side of sides) {
    if (!isResponse(await observe(side, anyRequest, [])))
      throw new Error(`the ${side.name} side is not reachable at ${side.origin}`)
  }
}

/** Whether the core returns a library that native created. Only then can each side read data of the other. */
export const detectSharedState = async (native: Side, core: Side, accounts: AccountSource) => {
  const { context } = createScenarioContext({
    side: native,
    billingSide: native,
    source: accounts,
    aliases: [],
  })
  const account = await context.account()
  const { id } = await account.call('libraries.create', { body: { name: context.unique('Shared by both') } })
  const params = { libraryId: id }
  const response = await observe(core, createRequest('libraries.detail', { as: account, params }), [])
  await account.call('libraries.remove', { params })
  return isResponse(response) && response.status === 200
}
