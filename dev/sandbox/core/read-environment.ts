import type * as z from 'zod'

/** Parses the environment. The error names each missing or invalid variable, but never its value. */
export const readEnvironment = <T extends z.ZodType>(schema: T, env: NodeJS.ProcessEnv): z.output<T> => {
  const result = schema.safeParse(env)
  if (result.success) return result.data
  throw new Error(
    result.error.issues.map(({ path: [name], message }) => `${String(name)}: ${message}`).join('; '),
  )
}
