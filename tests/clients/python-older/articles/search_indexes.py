"""What of it is searched."""

from haystack import indexes

from .models import Article


class ArticleIndex(indexes.SearchIndex, indexes.Indexable):
    text = indexes.CharField(document=True, model_attr="body")
    title = indexes.CharField(model_attr="title")
    title_auto = indexes.EdgeNgramField(model_attr="title")
    author = indexes.CharField(model_attr="author", faceted=True)
    published = indexes.DateTimeField(model_attr="published")
    views = indexes.IntegerField(model_attr="views")

    def get_model(self):
        return Article
