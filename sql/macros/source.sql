-- name:     source
-- title:    SQL text that reads what a table argument names
-- params:   source VARCHAR,
--           trec VARCHAR
-- formula:  SQL as it is; files by the reader of their suffix; else tables, views and CTEs by their names
-- note:     trec is the text that reads TREC files, with {files} where their list goes
SELECT
    list_extract(list_transform(
        [{'name': CAST($source AS VARCHAR), 'files': listed($source)}],
        lambda given: CASE
            WHEN regexp_matches(
                given['name'],
                '(?is)^(sql:|(\s|--[^\n]*\n|/\*.*?\*/)*'
                || '(\(|(select|from|with)[\s"''*(]|(values|pivot|unpivot|describe)\s))'
            ) THEN regexp_replace(given['name'], '^sql:', '')
            WHEN starts_with(given['name'], 'table:') THEN 'FROM query_table(' || named(given['files']) || ')'
            WHEN regexp_matches(given['files'][1], '\.(parquet|pq)$', 'i')
                THEN 'FROM read_parquet(' || named(given['files']) || ', union_by_name = true)'
            WHEN regexp_matches(given['files'][1], '\.(csv|tsv)(\.(gz|zst))?$', 'i')
                THEN 'FROM read_csv(' || named(given['files']) || ', union_by_name = true)'
            WHEN regexp_matches(given['files'][1], '\.(json|jsonl|ndjson)(\.(gz|zst))?$', 'i')
                THEN 'FROM read_json(' || named(given['files']) || ', union_by_name = true)'
            WHEN regexp_matches(given['files'][1], '\.(run|trec|qrels?|txt)(\.(gz|zst))?$', 'i')
                THEN replace($trec, '{files}', named(given['files']))
            WHEN regexp_matches(given['files'][1], '^file:|[/\\*?]')
                THEN 'FROM ''' || replace(regexp_replace(given['files'][1], '^file:', ''), '''', '''''') || ''''
            ELSE 'FROM query_table(' || named(given['files']) || ')'
        END
    ), 1) AS value;
