"""A Django site whose django-haystack searches with its backend for Elasticsearch 7."""

from datetime import datetime, timezone

import django
import pytest
from django.conf import settings


@pytest.fixture(scope="module")
def site(server):
    engine = "haystack.backends.elasticsearch7_backend.Elasticsearch7SearchEngine"
    settings.configure(
        INSTALLED_APPS=["django.contrib.contenttypes", "haystack", "articles"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        HAYSTACK_CONNECTIONS={"default": {"ENGINE": engine, "URL": server.elastic, "INDEX_NAME": "site", "INCLUDE_SPELLING": True}},
        DEFAULT_AUTO_FIELD="django.db.models.AutoField", USE_TZ=True)
    django.setup()
    from articles.models import Article
    from django.core.management import call_command
    call_command("migrate", run_syncdb=True, verbosity=0)
    for n in range(60):
        topic = "badgers in the garden" if n % 3 == 0 else "foxes under the house"
        Article.objects.create(title=f"Number {n} about {topic}", body=f"A long text about {topic}, and {topic}, the {n}th of many.",
                               author="anna" if n % 2 else "ben", published=datetime(2024, 1 + n % 12, 1, tzinfo=timezone.utc), views=n)
    call_command("rebuild_index", interactive=False, verbosity=0)
    from haystack.query import SearchQuerySet
    return SearchQuerySet


def test_texts_are_searched_with_filters_orders_and_pages(site):
    found = site().filter(content="badger")
    assert found.count() == 20 and {result.author for result in found} == {"anna", "ben"}
    assert [result.object.views for result in site().filter(content="foxes", views__gte=50).order_by("-views")[:3]] == [59, 58, 56]
    assert [result.pk for result in site().all().order_by("views")[20:23]] == ["21", "22", "23"]
    assert site().filter(published__range=(datetime(2024, 3, 1), datetime(2024, 4, 1))).count() == 10
    assert site().exclude(author="anna").count() == 30
    assert site().filter(title__startswith="number").count() == 60
    assert site().filter(views__in=[1, 2, 3]).count() == 3


def test_terms_and_dates_are_counted_and_words_marked(site):
    counts = site().facet("author").date_facet("published", datetime(2024, 1, 1), datetime(2025, 1, 1), "month").query_facet("views", "views:[0 TO 9]")
    facets = counts.facet_counts()
    assert sorted(facets["fields"]["author"]) == [("anna", 30), ("ben", 30)]
    assert len(facets["dates"]["published"]) == 12 and facets["queries"]["views"] == 10
    assert site().narrow("author_exact:anna").count() == 30
    marked = site().filter(content="badgers").highlight()[0]
    assert "<em>badgers</em>" in marked.highlighted[0]


def test_beginnings_are_completed_spelling_is_mended_and_like_is_found(site):
    assert site().autocomplete(title_auto="badg").count() == 20
    # The words of the field are stems.
    assert site().filter(content="bagders").spelling_suggestion("bagders") == "badger"
    from articles.models import Article
    like = site().more_like_this(Article.objects.get(pk=1))
    assert like.count() > 0


def test_what_is_saved_and_removed_is_found_and_not(site):
    from articles.models import Article
    from articles.search_indexes import ArticleIndex
    article = Article.objects.create(title="Zebra", body="A zebra", author="cleo", published=datetime(2024, 1, 1, tzinfo=timezone.utc), views=1000)
    index = ArticleIndex()
    index.update_object(article)
    assert site().filter(content="zebra").count() == 1
    index.remove_object(article)
    assert site().filter(content="zebra").count() == 0
    index.clear()
    assert site().all().count() == 0
