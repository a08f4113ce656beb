import { createConsolePages } from '../console/console-pages.ts'
import { createTracedLog } from '../observability/log.ts'
import { createAttemptLimit } from '../operators/attempt-limit.ts'
import { createOperatorApi, createOperatorCalls, createOperatorEndpoints } from '../operators/operator-api.ts'
import type { OperatorApiOptions } from '../operators/operator-options.ts'
import type { PageApp } from '../pages/page-app.ts'

/** The pages of the admin listener that authenticate operators: the API, and the console, which calls the same endpoints. */
export const createOperatorPages = (given: OperatorApiOptions): readonly PageApp[] => {
  const options = { ...given, log: createTracedLog(given.log) }
  const { operators, settings, database, log } = options
  const endpoints = createOperatorEndpoints(options)
  // A guess counts wherever it is made.
  const attempts = createAttemptLimit()
  return [
    createOperatorApi(endpoints, { operators, attempts }),
    createConsolePages({
      operators,
      attempts,
      database,
      log,
      secret: settings.GATEWAY_SECRET,
      callApi: createOperatorCalls(endpoints),
    }),
  ]
}
