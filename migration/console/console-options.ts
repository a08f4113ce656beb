import type { Hono } from 'hono/tiny'
import type { Database } from '#db/client/connection.ts'
import type { Log } from '#gateway/observability/log.ts'
import type { PageBindings } from '#gateway/pages/page-app.ts'
import type { OperatorSetting } from '#gateway/settings/operators.ts'
import type { SingleSignOnVariables } from '#gateway/settings/single-sign-on.ts'
import type { AttemptLimit } from '../api/attempt-limit.ts'
import type { CallOperatorApi } from '../api/operator-api.ts'
import type { Operator } from '../api/operator-options.ts'

export interface ConsoleOptions {
  readonly listOperators: () => readonly OperatorSetting[]
  /** Shared with the operator API. */
  readonly attempts: AttemptLimit
  /** `GATEWAY_SECRET`, which is the same on all instances. */
  readonly secret: string
  readonly singleSignOn: SingleSignOnVariables
  readonly database: Pick<Database, 'db'>
  readonly callApi: CallOperatorApi
  readonly log: Log
}

export interface ConsoleEnv {
  readonly Bindings: PageBindings
  readonly Variables: {
    readonly consoleUrl: string | undefined
    readonly operator: Operator
  }
}

export type ConsoleApp = Hono<ConsoleEnv>
