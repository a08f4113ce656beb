import type { MiddlewareHandler } from 'hono'
import { isAllowed } from '../../api/operator-middleware.ts'
import { ApiFailure } from '../api-client.ts'
import type { ConsoleEnv } from '../console-options.ts'

/** Requires an operator who may change routes. Throws `ApiFailure`, like the endpoints. */
export const requireChangeRole: MiddlewareHandler<ConsoleEnv> = async ({ get }, next) => {
  const { name, role } = get('operator')
  if (!isAllowed({ name, role }, 'change'))
    throw new ApiFailure(403, {
      error: 'operator_role_insufficient',
      message: `${name} has the role ${role}, which does not allow changes.`,
    })
  await next()
}
