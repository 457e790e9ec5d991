-- By index, as claims are: PostgreSQL plans these statements once for each connection. A plan made while nobody waited
-- read the whole line for each job that was stored afterwards, until the table was analyzed.
ALTER FUNCTION enter_line() SET enable_seqscan = off;
