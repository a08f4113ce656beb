import type * as z from 'zod'

/** What a schema reads from the environment; the error names each variable that is missing or bad, never its value. */
export const readEnvironment = <T extends z.ZodType>(schema: T, env: NodeJS.ProcessEnv): z.output<T> => {
  const result = schema.safeParse(env)
  if (result.success) return result.data
  throw new Error(
    result.error.issues.map(({ path: [name], message }) => `${String(name)}: ${message}`).join('; '),
  )
}
