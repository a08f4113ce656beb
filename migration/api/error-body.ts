import * as z from 'zod'

const ErrorBody = z.object({
  error: z.string(),
  message: z.string().optional(),
  issues: z.array(z.object({ message: z.string() })).optional(),
})

/** Returns the sentence of an operator API error; null if the body is not one. */
export const describeErrorBody = (body: unknown): string | null => {
  const { data } = ErrorBody.safeParse(body)
  if (!data) return null
  // For invalid input, the issues have the details.
  return data.issues?.map(({ message }) => message).join(' ') || (data.message ?? data.error)
}
