"""A local web page for people who do not type commands: `shoal serve`.

The server is thin and never loads the numeric stack: `app` answers, `guard` refuses, `store` keeps the work folder, `queue`
runs one worker process at a time. What a worker does stands in `work`: `look` at a file, `audit` it, measure the `curve`
of costs, `run` the anonymization. Workers write JSON and pictures into the folder of their job; `views` makes pages of them.
"""
